/** The secrets by which deliveries are signed, as they are stored and opened. */
import { refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import type { WrappedSecrets } from './rows.ts'
import type { WebhookSecrets } from './webhooks.schema.ts'

type Owner = { workspace: WorkspaceId; id: string }

type Wrapped = Pick<WrappedSecrets, 'wrapped_secret' | 'wrapped_by'>

const placeOf = ({ workspace, id }: Owner): readonly string[] => ['webhook secret', workspace, id]

/** Throws 3001 CONFLICT where nothing can be wrapped. */
export function wrapSecret(
  wrapping: WrappingKey | undefined,
  owner: Owner,
  secret: string,
): Wrapped {
  if (wrapping === undefined)
    throw refuse('CONFLICT', '', 'webhooks need a key file: KONTOR_KEY_FILE must name it')
  return { wrapped_secret: wrapping.wrap(placeOf(owner), secret), wrapped_by: wrapping.id }
}

/**
 * Those that sign now, the present one first. Throws where the present one cannot be opened; a
 * former one that cannot is left out.
 */
export function openSecrets(
  wrapping: WrappingKey | undefined,
  webhook: Owner & WrappedSecrets,
  now: number,
): WebhookSecrets {
  const open = (wrapped: Buffer | null): string => {
    if (wrapping === undefined || wrapped === null) throw new Error('there is no key to open it')
    return wrapping.unwrap(placeOf(webhook), wrapped)
  }
  const { former_wrapped_secret: former, former_until: until } = webhook
  const present = { secret: open(webhook.wrapped_secret), until: null }
  const isOver = former === null || until === null || until <= now
  if (isOver || webhook.former_wrapped_by !== wrapping?.id) return [present]
  return [present, { secret: open(former), until }]
}
