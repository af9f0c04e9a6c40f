/** What a diagram of steps shows, as data. */
export type StoryStep = {
  at: string
  title: string
  /** The record that it happened to. */
  lane: string
  /** What more there is to say, with exact figures. */
  notes: readonly string[]
  /** Since the step before, in words. */
  pause: string
}
export type Story = { lanes: readonly string[]; steps: readonly StoryStep[] }

const STEP_PIXELS = 36
const HEAD_PIXELS = 44

export const storyHeight = ({ steps }: Story): number => steps.length * STEP_PIXELS + HEAD_PIXELS
