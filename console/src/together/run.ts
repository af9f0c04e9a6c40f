/** Writes one after the other. One that is refused stops no other, and can be tried again. */
import { useCallback, useRef, useState } from 'react'
import { isStale } from '../action/conflict.tsx'
import type { Values } from '../action/plan.ts'
import { useShown } from '../action/steps.ts'
import { mayBeDone } from '../api/once.ts'
import { newerVersionOf, refreshAll } from '../api/query.ts'
import { t } from '../language/index.ts'
import { errorText } from '../parts/states.tsx'
import type { ManyPlan, Task } from './plan.ts'

export type Outcome = { state: 'sending' | 'done' } | { state: 'refused'; words: string }

export type Run<One extends Task> = {
  /** As they are by now: those that were refused are read again. */
  tasks: readonly One[]
  outcomes: ReadonlyMap<string, Outcome>
  running: boolean
  /** Those that nothing was sent for yet, or those that were refused, again. */
  go(which: readonly One[], values: Values): Promise<void>
  /** After the one that is being sent. */
  stop(): void
}

/** In a person's words. What is not known to have failed can be sent again, and is done once. */
function refusalOf(error: unknown): Outcome {
  if (isStale(error)) return { state: 'refused', words: t('Somebody has changed it meanwhile') }
  const { title, advice } = errorText(error, true)
  const words = mayBeDone(error) && advice !== undefined ? `${title} ${advice}` : title
  return { state: 'refused', words }
}

/** `left` is told how far it came, when nobody sees it any more. */
export function useRun<Row extends { id: string }, One extends Task>(
  plan: ManyPlan<Row, One>,
  first: readonly One[],
  left: (done: number, of: number) => void,
): Run<One> {
  const [tasks, setTasks] = useState(first)
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const [running, setRunning] = useState(false)
  const stopped = useRef(false)
  const shown = useShown()
  const go = async (which: readonly One[], values: Values): Promise<void> => {
    stopped.current = false
    setRunning(true)
    let done = 0
    for (const task of which) {
      if (stopped.current || !shown.current) break
      setOutcomes((old) => new Map([...old, [task.id, { state: 'sending' }]]))
      const outcome = await plan
        .send(task, values)
        .then((): Outcome => ({ state: 'done' }), refusalOf)
      if (outcome.state === 'done') done += 1
      setOutcomes((old) => new Map([...old, [task.id, outcome]]))
    }
    await refreshAll().catch(() => undefined)
    if (!shown.current) return left(done, which.length)
    setTasks((old) => old.map((task) => newerVersionOf(task) ?? task))
    return setRunning(false)
  }
  const stop = useCallback(() => {
    stopped.current = true
  }, [])
  return { tasks, outcomes, running, go, stop }
}
