/** The parts of the chart library that the console uses; nothing else imports it. */
import { BarChart, LineChart, ScatterChart } from 'echarts/charts'
import { GridComponent, TooltipComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

export type { EChartsCoreOption as ChartOption, EChartsType as ChartHandle } from 'echarts/core'

use([BarChart, LineChart, ScatterChart, GridComponent, TooltipComponent, CanvasRenderer])

export { init }
