import type { ExecutionId } from '../../core/ids.ts'
import { closed, endpoint, id } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { TradingApp } from '../app.ts'
import { ExecutionRecord } from '../executions/executions.schema.ts'
import { recheckExecution } from './recheck.ts'
import { resolveExecution } from './resolution.ts'
import { ResolveExecution } from './resolution.schema.ts'

const resolving = {
  method: 'POST',
  tag: 'Executions',
  permission: 'trading.executions.resolve',
  params: closed({ execution_id: id<ExecutionId>() }),
  data: ExecutionRecord,
} as const

export const resolutionEndpoints = (app: TradingApp): Endpoint[] => [
  endpoint({
    ...resolving,
    operation_id: 'resolveExecution',
    path: '/executions/:execution_id/resolve',
    origin: { ours: 'a person enters the outcome that the venue does not report' },
    summary: 'Resolve an UNKNOWN execution',
    effect: 'lane',
    body: ResolveExecution,
    example: {
      state: 'FILLED',
      evidence: 'Mail of their desk of 3 March with the contract note',
      foreign_id: 'OUF4EM-FRGI2-MQMWZD',
      fills: [
        {
          foreign_id: 'TCWJEG-FL4SZ-3FKGH6',
          price: '60000',
          quantity: '0.01',
          fee: '1.56',
        },
      ],
    },
    description:
      'Enters by hand what became of its order, and stores who did it and by what evidence. The ' +
      'fills are booked as if the venue had reported them; the rest is not sent again. The venue ' +
      'is asked first, and again later; what it reports against it is shown and not booked. ' +
      'Refused: STATE_NOT_ALLOWED (not UNKNOWN, or sent less than 180 s ago), CONFLICT (the ' +
      'venue answers otherwise), SUM_MISMATCH, ABOVE_MAXIMUM, SCALE, RANGE, DUPLICATE, ' +
      'STALE_VERSION.',
    handle: ({ params, body, caller }) => resolveExecution(caller, app, params.execution_id, body),
  }),
  endpoint({
    ...resolving,
    operation_id: 'recheckExecution',
    path: '/executions/:execution_id/recheck',
    origin: { ours: 'avoids the wait for the next lookup at the venue' },
    summary: 'Ask the venue about an execution now',
    effect: 'venue',
    description:
      'Answers the execution as it is after the venue was asked. Where the venue contradicts ' +
      'what a person has entered, its report is booked in place of that. Refused: ' +
      'STATE_NOT_ALLOWED when it has ended; CONFLICT while a resolved order is open at its ' +
      'venue; 2003 when the venue does not answer.',
    handle: ({ params, caller }) => recheckExecution(caller, app, params.execution_id),
  }),
]
