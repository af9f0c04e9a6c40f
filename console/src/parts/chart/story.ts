/** Steps of a story as a diagram: time goes down, each record has a column. */
import type { ChartOption } from './library.ts'
import { commonOption, GRID, tooltipBox } from './options.ts'
import type { Looks } from './options.ts'
import { TONES } from './plot.ts'
import { isSlanted } from './story-steps.ts'
import type { Story, StoryStep } from './story-steps.ts'
import { tooltipOf } from './tooltip.ts'

export function storyOption(story: Story, looks: Looks): ChartOption {
  const { lanes, steps } = story
  const points = steps.map(({ lane }, index) => [lanes.indexOf(lane), index] as const)
  return {
    ...commonOption(looks),
    grid: GRID,
    tooltip: {
      ...tooltipBox(looks),
      trigger: 'item',
      formatter: (params: unknown) => {
        const step = steps[(params as { dataIndex: number }).dataIndex]
        return step === undefined
          ? ''
          : tooltipOf(
              step.title,
              [step.at, step.lane, ...step.notes].map((note) => ({ name: note, value: '' })),
            )
      },
    },
    xAxis: {
      type: 'category',
      data: [...lanes],
      position: 'top',
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: {
        color: looks.soft,
        interval: 0,
        overflow: 'truncate',
        ...(isSlanted(story) ? { rotate: 60, width: 110 } : { width: 90 }),
      },
      splitLine: { show: true, lineStyle: { color: looks.line } },
    },
    yAxis: {
      type: 'category',
      data: steps.map((_step, index) => String(index)),
      inverse: true,
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: {
        color: looks.ink,
        interval: 0,
        formatter: (index: string) => stepLabel(steps[Number(index)]),
        rich: { soft: { color: looks.soft, lineHeight: 15 } },
        lineHeight: 15,
      },
    },
    series: [
      {
        id: 'story',
        type: 'line',
        color: looks.soft,
        lineStyle: { width: 1.5 },
        symbol: 'circle',
        symbolSize: 11,
        data: points.map(([lane, index]) => ({
          value: [lane, index],
          itemStyle: { color: looks.tones[lane % TONES] ?? looks.ink },
        })),
      },
    ],
  }
}

const LONGEST_TITLE = 34

function stepLabel(step: StoryStep | undefined): string {
  if (step === undefined) return ''
  const title =
    step.title.length > LONGEST_TITLE ? `${step.title.slice(0, LONGEST_TITLE - 1)}…` : step.title
  return `${title}\n{soft|${step.at}${step.pause === '' ? '' : ` · ${step.pause}`}}`
}
