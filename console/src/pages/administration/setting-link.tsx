/** A setting from elsewhere: the same form as on the page Settings. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import { change } from './setting-form.tsx'
import type { Setting } from './setting-shape.ts'

export const SettingLink = ({ setting }: { setting: Setting }): ReactNode => (
  <ActionButton plan={{ ...change, permission: setting.permission }} row={setting} />
)
