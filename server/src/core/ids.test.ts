import assert from 'node:assert/strict'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const HERE = dirname(fileURLToPath(import.meta.url))
const PROGRAM = join(HERE, 'swapped-ids.ts')

/** What the compiler says about a call of `statement`. */
function compile(call: string): string[] {
  const text = `
    import type { AccountId, CustomerId, WorkspaceId } from './ids.ts'
    declare const workspace: WorkspaceId
    declare const account: AccountId
    declare const customer: CustomerId
    declare const text: string
    declare function statement(workspace: WorkspaceId, account: AccountId): void
    ${call}`
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile
  host.getSourceFile = (file, version) =>
    resolve(file) === PROGRAM ? ts.createSourceFile(file, text, version) : read(file, version)
  const program = ts.createProgram([PROGRAM], options, host)
  return program
    .getSemanticDiagnostics(program.getSourceFile(PROGRAM))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('ids at compile time', () => {
  it('stand only where their own kind is asked for', () => {
    assert.deepEqual(compile('statement(workspace, account)'), [])
    assert.match(compile('statement(workspace, customer)').join(), /'CustomerId' is not assignable/)
    assert.match(compile('statement(account, account)').join(), /not assignable to .*'WorkspaceId'/)
    assert.match(
      compile('statement(workspace, workspace)').join(),
      /not assignable to .*'AccountId'/,
    )
  })

  it('come from plain text, but a workspace does not', () => {
    assert.deepEqual(compile('statement(workspace, text)'), [])
    assert.match(compile('statement(text, account)').join(), /not assignable to .*'WorkspaceId'/)
  })
})
