/** The console and the documentation, built when their sources are newer. */
import { watch as watchFiles } from 'node:fs'
import { join } from 'node:path'
import { pagesAreBuilt } from '../setup/console.ts'
import { ROOT } from '../setup/setup.mjs'
import type { Child } from './child.ts'
import { runOnce, say, WATCH_MS, type Context } from './context.ts'

/** In a process that ends. */
export async function provideConsole(context: Context): Promise<void> {
  if (await pagesAreBuilt()) return
  say('building the console and its documentation')
  const ended = runOnce(context, join(ROOT, 'tools/setup/console.ts'), {
    failure: (words) => `the console could not be built:\n${words}`,
  })
  await Promise.race([ended, context.end])
}

/** Builds again what is edited; the service, started again, serves it. */
export function watchConsole(context: Context, service: Child): void {
  let timer: NodeJS.Timeout | undefined
  const changed = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      provideConsole(context)
        .then(() => service.restart())
        .catch((error: unknown) => say(`the console could not be renewed: ${String(error)}`))
    }, WATCH_MS)
  }
  for (const folder of ['console/src', 'client/src']) {
    const watcher = watchFiles(join(ROOT, folder), { recursive: true }, changed)
    context.undo.push(async () => {
      clearTimeout(timer)
      watcher.close()
    })
  }
}
