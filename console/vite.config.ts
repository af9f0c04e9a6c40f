import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'
import type { Plugin, Rolldown } from 'vite'
import { PAGES } from './src/pages/index.ts'
import type { Page } from './src/pages/index.ts'

/**
 * `vite` in this folder serves the sources with reload and proxies /api to a running Kontor
 * (KONTOR_URL).
 */
export default defineConfig({
  plugins: [react(), pagesFile()],
  // The client as it stands in the repository, not as it is packed.
  resolve: { conditions: ['kontor-source', ...defaultClientConditions] },
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': process.env['KONTOR_URL'] ?? 'http://localhost:4000' } },
})

/**
 * An entry of the table in routes.tsx: the address of a page and the module that holds its code.
 */
const MODULE = /'(\/[^']+)':\s*\(\) =>\s*import\('\.\/(pages\/[^']+)'\)/g

/**
 * Writes pages.json: the address of each page and the files that it needs beside those of the first
 * load. The service names them in the page that it sends, so that the browser fetches them at once.
 */
function pagesFile(): Plugin {
  return {
    name: 'kontor-pages',
    apply: 'build',
    // After the bundler has removed the files that held nothing but styles.
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const table = await readFile(join(import.meta.dirname, 'src/routes.tsx'), 'utf8')
      const modules = new Map([...table.matchAll(MODULE)].map(([, path, file]) => [path, file]))
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const first = filesOf(
        chunks,
        chunks.find((chunk) => chunk.isEntry),
      )
      const filesOfPage = ({ path }: Page): string[] => {
        const file = modules.get(path)
        const chunk = chunks.find(
          ({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${file}`) === true,
        )
        if (chunk === undefined) throw new Error(`routes.tsx names no module for ${path}`)
        return [...filesOf(chunks, chunk)].filter((name) => !first.has(name))
      }
      this.emitFile({
        type: 'asset',
        fileName: 'pages.json',
        source: JSON.stringify(
          Object.fromEntries(
            PAGES.map((page) => [page.path, filesOfPage(page).map((name) => `/${name}`)]),
          ),
        ),
      })
    },
  }
}

/** The file of a chunk and of everything that it imports, directly or not. */
function filesOf(
  chunks: readonly Rolldown.OutputChunk[],
  chunk: Rolldown.OutputChunk | undefined,
  known: Set<string> = new Set(),
): ReadonlySet<string> {
  if (chunk === undefined || known.has(chunk.fileName)) return known
  known.add(chunk.fileName)
  for (const name of chunk.imports)
    filesOf(
      chunks,
      chunks.find(({ fileName }) => fileName === name),
      known,
    )
  return known
}
