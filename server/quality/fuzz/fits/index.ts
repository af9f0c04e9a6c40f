/**
 * What a schema alone cannot say, so that enough of the sensible requests are accepted.
 */
import type { Endpoint } from '../../../src/http/index.ts'
import { ACCESS_AND_BOOKS } from './access-and-books.ts'
import { ASSIGNMENTS } from './assignments.ts'
import { DECLARATIONS } from './declarations.ts'
import type { Fit, Fits } from './fit.ts'
import { NOTES } from './notes.ts'
import { SETTLEMENTS } from './settlements.ts'
import { TRADING } from './trading.ts'
import { TREASURY } from './treasury.ts'
import { SIGN_IN_PROVIDERS } from './sign-in-providers.ts'
import { WEBHOOKS } from './webhooks.ts'

const FITS: Fits = {
  ...ACCESS_AND_BOOKS,
  ...TREASURY,
  ...ASSIGNMENTS,
  ...TRADING,
  ...SETTLEMENTS,
  ...SIGN_IN_PROVIDERS,
  ...WEBHOOKS,
  ...NOTES,
  ...DECLARATIONS,
}

export const fitOf = ({ method, path }: Endpoint): Fit | undefined => FITS[`${method} ${path}`]
