/** For tests: the ISO schemas, where they lie beside the repository. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validateXML } from 'xmllint-wasm'

const SCHEMAS = join(import.meta.dirname, '../../../../../shared/iso20022')

/** Written by the sandbox, and among those schemas there is none of it. */
const UNCOMPARED = ['pain.002.001.10']

/** Fails when a file of a folder is not valid by the schema of the message that it says it is. */
export async function mustBeValid(folder: string): Promise<void> {
  if (!existsSync(SCHEMAS)) return
  const files = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.xml') && !name.startsWith('.'))
    .map((name) => ({ fileName: name, contents: readFileSync(join(folder, name), 'utf8') }))
  const messages = Map.groupBy(files, ({ contents }) => /xsd:([a-z0-9.]+)"/.exec(contents)?.[1])
  for (const [message, xml] of messages)
    if (message !== undefined && !UNCOMPARED.includes(message)) await compare(message, xml)
}

/** The same for one text, where there is a schema of that message. */
export async function mustBeValidIfKnown(message: string, contents: string): Promise<void> {
  if (existsSync(join(SCHEMAS, `${message}.xsd`)))
    await compare(message, [{ fileName: 'message.xml', contents }])
}

type Text = { fileName: string; contents: string }

async function compare(message: string, xml: Text[]): Promise<void> {
  const contents = readFileSync(join(SCHEMAS, `${message}.xsd`), 'utf8')
  const { errors } = await validateXML({ xml, schema: { fileName: 's.xsd', contents } })
  assert.deepEqual(errors, [])
}
