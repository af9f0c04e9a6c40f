declare module '*.css'

/** What the bundler puts in the place of a call: the texts of these files, by their paths. */
interface ImportMeta {
  glob(
    files: string,
    options: { query: '?raw'; import: 'default'; eager: true },
  ): Readonly<Record<string, string>>
}
