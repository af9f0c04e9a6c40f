/** All attacks, in the order in which they are made. */
import { BODIES } from './limits/bodies.ts'
import { CONNECTIONS } from './limits/connections.ts'
import { LOGINS } from './limits/logins.ts'
import { READERS } from './limits/readers.ts'
import { READS } from './limits/reads.ts'
import { AUTHENTICATION } from './owasp/authentication.ts'
import { CONFIGURATION } from './owasp/configuration.ts'
import { CONSUMPTION } from './owasp/consumption.ts'
import { FLOWS } from './owasp/flows.ts'
import { SSRF } from './owasp/forgery-of-requests.ts'
import { FUNCTIONS } from './owasp/functions.ts'
import { INVENTORY } from './owasp/inventory.ts'
import { OBJECTS } from './owasp/objects.ts'
import { PROPERTIES } from './owasp/properties.ts'
import { SMUGGLING } from './owasp/smuggling.ts'
import { VENUES } from './owasp/venues.ts'
import type { Attack } from './table.ts'

export const ATTACKS: readonly Attack[] = [
  ...FUNCTIONS,
  ...OBJECTS,
  ...AUTHENTICATION,
  ...PROPERTIES,
  ...FLOWS,
  ...SSRF,
  ...CONFIGURATION,
  ...SMUGGLING,
  ...INVENTORY,
  ...CONSUMPTION,
  ...BODIES,
  ...CONNECTIONS,
  ...LOGINS,
  ...READS,
  ...READERS,
  ...VENUES,
]
