/** What an act at a venue led to, and what a venue knows of one of our references. */

/**
 * `accepted` carries the venue's report; `refused` is certain: nothing left and nothing will;
 * `unknown` is everything else.
 * `unreached`: the venue took no connection, so it has not decided anything and may be asked again.
 */
export type Outcome<Report> =
  | { outcome: 'accepted'; report: Report }
  | { outcome: 'refused'; reason: string; native: string | null; unreached?: true }
  | { outcome: 'unknown'; reason: string }

/**
 * The venue's answer about one of our references. `absent`: the venue knows for certain that it
 * never got it.
 */
export type Lookup<Report> =
  | { lookup: 'found'; report: Report }
  | { lookup: 'absent' }
  | { lookup: 'unknown'; reason: string }
