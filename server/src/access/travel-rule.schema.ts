/** Whether data about sender and recipient have to be there before coins leave. */
import { asset, closed, flag, positiveText, Type } from '../http/index.ts'

const MAXIMUM_ASSETS = 100

export const travelRuleSchema = closed(
  {
    withdrawals: flag('Withdrawals of coins wait until their travel-rule data are complete'),
    thresholds: Type.Array(
      closed({
        asset: asset(),
        quantity: positiveText('Of fewer coins than this no data are asked for'),
      }),
      {
        maxItems: MAXIMUM_ASSETS,
        description:
          'An asset that is not named has no threshold: data are due from the first unit on, as ' +
          'Regulation (EU) 2023/1113 has it for transfers of crypto-assets',
      },
    ),
  },
  {
    title: 'TravelRuleSettings',
    description: 'Whether travel-rule data are needed before coins leave',
  },
)
