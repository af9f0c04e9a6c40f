import type { ReactNode } from 'react'

export function Mark(): ReactNode {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0b57a4" />
      <path
        d="M10 7v18M22 7 11 16l11 9"
        stroke="#fff"
        strokeWidth="3.2"
        fill="none"
        strokeLinecap="round"
      />
    </svg>
  )
}
