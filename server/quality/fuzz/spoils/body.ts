/** Bodies with a wrong value in one place, and bodies that are no JSON. */
import { MAXIMUM_BODY_BYTES } from '../../../src/http/index.ts'
import type { Author } from '../author.ts'
import { HOSTILE, RAW } from '../hostile.ts'
import type { JsonRecord } from '../known-records.ts'
import type { RequestPlan } from '../requests.ts'

type Slot = { holder: JsonRecord | unknown[]; name: string | number }

function slots(value: unknown): Slot[] {
  if (typeof value !== 'object' || value === null) return []
  const names: (string | number)[] = Array.isArray(value)
    ? value.map((_, index) => index)
    : Object.keys(value)
  return names.flatMap((name) => [
    { holder: value as Slot['holder'], name },
    ...slots((value as JsonRecord)[name as string]),
  ])
}

export function spoilBody(plan: RequestPlan, author: Author): void {
  const { draws, foreign } = author
  if (plan.body === undefined) return write(plan, draws.draw(HOSTILE))
  const body: unknown = structuredClone(plan.body)
  const places = slots(body)
  const slot = places.length === 0 ? undefined : draws.pick(places)
  if (slot === undefined || draws.once(25)) return write(plan, draws.draw(HOSTILE))
  const holder = slot.holder as JsonRecord
  const name = slot.name as string
  const was = holder[name]
  switch (draws.below(8)) {
    case 0:
      if (Array.isArray(slot.holder)) slot.holder.splice(slot.name as number, 1)
      else delete holder[name]
      break
    case 1:
      if (!Array.isArray(slot.holder))
        holder[
          draws.pick([
            'unknown',
            '',
            'id ',
            'workspace_id',
            'a.b',
            'x'.repeat(300),
            'é',
            'constructor',
            name.toUpperCase(),
          ])
        ] = draws.draw(HOSTILE)
      break
    case 2:
      holder[name] = [was]
      break
    case 3:
      holder[name] = Number.isFinite(Number(was)) ? Number(was) : 1.5
      break
    case 4:
      holder[name] = draws.draw(foreign.idFor(String(name)))
      break
    case 5:
      if (Array.isArray(slot.holder)) {
        for (let more = draws.pick([1, 2, 300]); more > 0; more -= 1)
          slot.holder.push(structuredClone(was))
      } else holder[name] = { [name]: was }
      break
    default:
      holder[name] = draws.draw(HOSTILE)
  }
  write(plan, body)
}

function write(plan: RequestPlan, body: unknown): void {
  plan.body = body
  plan.payload = JSON.stringify(body)?.replaceAll(RAW, '$1')
  plan.headers['content-type'] = 'application/json'
}

export function spoilText(plan: RequestPlan, { draws }: Author): void {
  const good = typeof plan.payload === 'string' ? plan.payload : '{"a":1}'
  const deep = (open: string, close: string, count: number) =>
    open.repeat(count) + close.repeat(count)
  plan.headers['content-type'] = draws.once(10)
    ? draws.pick([
        'text/plain',
        'application/xml',
        'application/json; charset=latin1',
        'application/jsonx',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
        '/',
        'a',
      ])
    : 'application/json'
  plan.payload = draws.pick<() => string | Buffer>([
    () => good.slice(0, draws.below(good.length) + 1),
    () => `${good}${good}`,
    () => `\uFEFF${good}`,
    () => '',
    () => ' ',
    () => 'null',
    () => '"text"',
    () => '17',
    () => '[]',
    () => '{',
    () => "{'a':1}",
    () => '{"a":1,}',
    () => `/* x */${good}`,
    () => Buffer.from([0xff, 0xfe, 0x7b]),
    () => Buffer.concat([Buffer.from(good.slice(0, -1)), Buffer.from([0xc3, 0x28])]),
    () => Buffer.from(good, 'utf16le'),
    () => good.replaceAll(':', '\0:'),
    () => deep('[', ']', 200),
    () => deep('{"a":', '}', 5000).replace('}', '1}'),
    () => `{"__proto__":{"id":1},${good.slice(1)}`,
    () => `{"constructor":{"prototype":{"x":1}},${good.slice(1)}`,
    () => `${good.slice(0, -1)},${good.slice(1)}`,
    () => good.replaceAll(/"[^"]*"/g, (text) => (draws.once(4) ? '"\\ud800"' : text)),
    () => good.replaceAll(/"[^"]*"/g, (text) => (draws.once(4) ? '"\\u0000"' : text)),
    () => good.replaceAll(/"[^"]*"/g, (text) => (draws.once(4) ? 'NaN' : text)),
    () => `{"a":"${'x'.repeat(draws.once(20) ? MAXIMUM_BODY_BYTES : 3000)}"}`,
  ])()
}
