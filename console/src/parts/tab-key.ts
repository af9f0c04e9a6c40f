/**
 * Tab leaves a list of several choices as it is, and closes it. To antd Tab is Enter, and Enter
 * takes back what was chosen before.
 */
addEventListener(
  'keydown',
  (event) => {
    const { key, target } = event
    if (key !== 'Tab' || !(target instanceof HTMLElement)) return
    if (target.closest('.ant-select-multiple') === null) return
    event.stopPropagation()
    // Once the focus has moved: on its way to the button that clears the field, antd stays open.
    setTimeout(() => {
      if (target.ariaExpanded === 'true') target.dispatchEvent(escapeKey())
    })
  },
  { capture: true },
)

/** antd knows keys by their numbers. */
const escapeKey = (): KeyboardEvent =>
  new KeyboardEvent('keydown', { key: 'Escape', keyCode: 27, which: 27, bubbles: true })

export {}
