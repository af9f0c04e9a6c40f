/** Every text of the console in German. `german.test.ts` finds what is missing, or not used. */
import administration from './administration.json' with { type: 'json' }
import books from './books.json' with { type: 'json' }
import codes from './codes.json' with { type: 'json' }
import common from './common.json' with { type: 'json' }
import desk from './desk.json' with { type: 'json' }
import moving from './service-moving.json' with { type: 'json' }
import records from './service-records.json' with { type: 'json' }
import others from './service.json' with { type: 'json' }
import trading from './trading.json' with { type: 'json' }
import treasury from './treasury.json' with { type: 'json' }

type Texts = Readonly<Record<string, string>>

/** What codes and fields of the API are called. */
export const CODES: Texts = codes

export const GERMAN: Texts = {
  ...common,
  ...treasury,
  ...trading,
  ...books,
  ...desk,
  ...administration,
  ...codes,
}

/** What the service says, by its form. */
export const SERVICE: Texts = { ...moving, ...others, ...records }
