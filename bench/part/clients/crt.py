# s3transfer on the AWS Common Runtime. The measured time ends when storage has accepted the last part, before
# `complete`.
import json
import sys
import time

from awscrt.auth import AwsCredentialsProvider
from botocore.config import Config
from botocore.session import Session
from s3transfer.crt import BotocoreCRTRequestSerializer, CRTTransferManager, create_s3_crt_client
from s3transfer.subscribers import BaseSubscriber

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


class Progress(BaseSubscriber):
    sent = 0
    last = 0.0

    def on_progress(self, future, bytes_transferred, **_):
        self.sent += bytes_transferred
        self.last = time.monotonic()


progress = Progress()
with CRTTransferManager(client, serializer) as manager:
    begun = time.monotonic()
    manager.upload(job["file"], job["bucket"], job["key"], subscribers=[progress]).result()
    if progress.sent != job["bytes"]:
        raise RuntimeError(f"CRT reported {progress.sent} of {job['bytes']} bytes")
    print(json.dumps({"ms": (progress.last - begun) * 1000}))
