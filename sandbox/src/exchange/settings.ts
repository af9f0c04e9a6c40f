import type { World } from '../world.ts'

/** Small named values of the exchange that survive a restart. */
export type Settings = {
  get(name: string): string | undefined
  set(name: string, value: string): void
  once(name: string, make: () => string): string
}

export function openSettings(world: World, tables: string): Settings {
  const table = `${tables}_settings`
  world.db.exec(`create table if not exists ${table} (name text primary key, value text not null)`)
  const select = world.db.prepare(`
    select value
    from ${table}
    where name = ?`)
  const upsert = world.db.prepare(`
    insert or replace into ${table} (name, value)
    values (?, ?)`)
  const get = (name: string) => (select.get(name) as { value: string } | undefined)?.value
  const set = (name: string, value: string) => {
    upsert.run(name, value)
  }
  return {
    get,
    set,
    once(name, make) {
      const known = get(name)
      if (known !== undefined) return known
      const made = make()
      set(name, made)
      return made
    },
  }
}
