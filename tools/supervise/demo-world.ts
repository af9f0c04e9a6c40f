/** Whether Kontor starts with the demo world: the sandbox and what belongs to it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from './context.ts'

type Env = Readonly<Record<string, string | undefined>>

type DemoChoice = {
  env: Env
  dataDir: string
  /** Whether somebody has configured the database; asked only where that matters. */
  isConfigured(): Promise<boolean>
}

/** Only when asked for, as soon as a database or a configuration is an operator's own. */
export async function wantsSandbox({ env, dataDir, isConfigured }: DemoChoice): Promise<boolean> {
  const { SANDBOX: choice, KONTOR_CONFIG: config, DATABASE_URL: url } = env
  if (choice && choice !== 'on' && choice !== 'off')
    throw new Refusal(`SANDBOX must be on or off, not ${choice}`)
  if (choice) return choice === 'on'
  if (config || url) return false
  // A folder that has the demo world keeps it, and an empty one gets it.
  const isDemo = existsSync(join(dataDir, 'sandbox'))
  const isNew = !existsSync(join(dataDir, 'postgres/cluster'))
  return isDemo || isNew || !(await isConfigured())
}

/** The people of the demo world belong to its own configuration. */
export const wantsDemoCustomers = ({ KONTOR_CONFIG: config }: Env): boolean => !config
