import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { Plugin, Rolldown } from 'vite'

/** `vite` in this folder serves the sources with reload, and hands /api on to a running Kontor (KONTOR_URL). */
export default defineConfig({
  plugins: [react(), pagesFile()],
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': process.env['KONTOR_URL'] ?? 'http://localhost:4000' } },
})

/** One entry of the table of pages: its address, and where its code lies. */
const PAGE = /path: '([^']+)'[^]*?import\('\.\.\/(pages\/[^']+)'\)/g

/** pages.json: from each page's address to the files that it needs beside the first ones. The service names them in the page that it sends. */
function pagesFile(): Plugin {
  return {
    name: 'kontor-pages',
    apply: 'build',
    // After the bundler has taken away the files that held nothing but styles.
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const table = await readFile(join(import.meta.dirname, 'src/frame/areas.tsx'), 'utf8')
      const chunks = Object.values(bundle).filter(
        (each): each is Rolldown.OutputChunk => each.type === 'chunk',
      )
      const withImports = (file: string, known: Set<string>): Set<string> => {
        if (known.has(file)) return known
        known.add(file)
        for (const next of chunks.find((chunk) => chunk.fileName === file)?.imports ?? [])
          withImports(next, known)
        return known
      }
      const first = withImports(chunks.find((chunk) => chunk.isEntry)?.fileName ?? '', new Set())
      const pages = [...table.matchAll(PAGE)].flatMap(([, path = '', module = '']) => {
        const chunk = chunks.find(({ facadeModuleId }) =>
          facadeModuleId?.endsWith(`/src/${module}`),
        )
        return chunk === undefined
          ? []
          : [
              [
                path,
                [...withImports(chunk.fileName, new Set())]
                  .filter((file) => !first.has(file))
                  .map((file) => `/${file}`),
              ],
            ]
      })
      if (pages.length === 0) throw new Error('no page was found in areas.tsx')
      this.emitFile({
        type: 'asset',
        fileName: 'pages.json',
        source: JSON.stringify(Object.fromEntries(pages)),
      })
    },
  }
}
