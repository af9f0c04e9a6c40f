/** What a module shows of itself to those who watch the service. */
export type Sample = { labels: Readonly<Record<string, string>>; value: number }

/** Gauges that one reading fills. */
export type Figures<Name extends string = string> = {
  /** Of the reading, for those who hear that it failed. */
  name: string
  /** Labels name no person and no customer, and have few values. */
  gauges: Readonly<Record<Name, { help: string; labels: readonly string[] }>>
  /** Its cost does not grow with history. A gauge shows nothing where it has no sample. */
  read(): Promise<Readonly<Record<Name, readonly Sample[]>>>
}

/** Lets the names of the gauges be inferred. */
export const figures = <Name extends string>(declared: Figures<Name>): Figures => declared
