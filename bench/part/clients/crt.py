# s3transfer on the AWS Common Runtime; the caller takes the median time of `complete` off.
import json
import sys
import time

from awscrt.auth import AwsCredentialsProvider
from botocore.config import Config
from botocore.session import Session
from s3transfer.crt import BotocoreCRTRequestSerializer, CRTTransferManager, create_s3_crt_client

job = json.load(sys.stdin)
session = Session()
client = create_s3_crt_client(
    "us-east-1",
    crt_credentials_provider=AwsCredentialsProvider.new_static(job["accessKey"], job["secretKey"]),
    part_size=job["partBytes"],
    use_ssl=job["endpoint"].startswith("https"),
    verify=job.get("ca"),
)
serializer = BotocoreCRTRequestSerializer(
    session,
    {
        "region_name": "us-east-1",
        "endpoint_url": job["endpoint"],
        "config": Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required"),
    },
)
with CRTTransferManager(client, serializer) as manager:
    begun = time.monotonic()
    manager.upload(job["file"], job["bucket"], job["key"]).result()
    print(json.dumps({"ms": (time.monotonic() - begun) * 1000, "includesComplete": True}))
