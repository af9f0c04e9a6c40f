/** Every change of a setting, the newest first. */
import type { ReactNode } from 'react'
import { useGet } from '../../api/query.ts'
import type { Setting } from './setting-shape.ts'
import { SettingValue } from './setting-value.tsx'
import { MOST_CHANGES, TwoHandsHistory } from './two-hands.tsx'

export function SettingHistory({ setting }: { setting: Setting }): ReactNode {
  const read = useGet('/settings/{key}/history', {
    params: { key: setting.key },
    query: { limit: MOST_CHANGES },
  })
  return (
    <TwoHandsHistory
      read={read}
      show={(value) => <SettingValue setting={setting} value={value} />}
    />
  )
}
