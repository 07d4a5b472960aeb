import { readMoment } from '../../api/read-moment';
import type { Service } from '../../api/service/service';

/** The service, and its clock at the first answer: epoch ms in whole seconds, or undefined if no answer had a date. */
export function withClock(service: Service): { readonly service: Service; serviceNow(): number | undefined } {
  let serviceNow: number | undefined;
  return {
    service: {
      ...service,
      async call(call) {
        const answer = await service.call(call);
        serviceNow ??= readMoment(answer.headers['date']);
        return answer;
      },
    },
    serviceNow: () => serviceNow,
  };
}
