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
const SLANTED_PIXELS = 110
/** The heads of more lanes than these are slanted: side by side they have no room. */
const MOST_LEVEL_LANES = 3

export const isSlanted = ({ lanes }: Story): boolean => lanes.length > MOST_LEVEL_LANES

export const storyHeight = (story: Story): number =>
  story.steps.length * STEP_PIXELS + (isSlanted(story) ? SLANTED_PIXELS : HEAD_PIXELS)
