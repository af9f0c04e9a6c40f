/** The list of all operations of the API, from its OpenAPI document: readable offline. */

type Operation = { operationId: string; summary: string; description: string; tags: string[] }
type Document = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
}

type Row = Operation & { method: string; path: string }

export function operationsMarkdown(text: string): string {
  const document = JSON.parse(text) as Document
  const rows: Row[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
  const parts = document.tags.map(({ name, description }) => {
    const mine = rows.filter(({ tags }) => tags.includes(name))
    const lines = mine.map((row) => `| ${cellsOf(row).join(' | ')} |`)
    return [`## ${name}`, description, [...TABLE, ...lines].join('\n')].join('\n\n')
  })
  return `${HEAD}\n${parts.join('\n\n')}\n`
}

const TABLE = ['| operation | does | name |', '| --- | --- | --- |']

const HEAD = `# The API

Every operation, below \`/api\`. The interactive reference is at \`/api/docs\` of a running Kontor:
it shows parameters, bodies, answers and examples, and can call. The whole is in the
[OpenAPI document](openapi.json). The [guides](../guides/README.md) show how to begin.
`

const cellsOf = ({ method, path, summary, operationId }: Row): string[] => [
  `\`${method} ${path}\``,
  summary.replaceAll('|', '\\|'),
  `\`${operationId}\``,
]
