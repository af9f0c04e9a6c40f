import type { World } from '../world.ts'

/** Small named values of the exchange that survive a restart. */
export type Settings = { get(name: string): string | undefined; set(name: string, value: string): void; once(name: string, make: () => string): string }

export function openSettings(world: World): Settings {
  world.db.exec('create table if not exists exchange_settings (name text primary key, value text not null)')
  const select = world.db.prepare('select value from exchange_settings where name = ?')
  const upsert = world.db.prepare('insert or replace into exchange_settings (name, value) values (?, ?)')
  const get = (name: string) => (select.get(name) as { value: string } | undefined)?.value
  const set = (name: string, value: string) => { upsert.run(name, value) }
  return {
    get, set,
    once(name, make) {
      const known = get(name)
      if (known !== undefined) return known
      const made = make()
      set(name, made)
      return made
    },
  }
}
