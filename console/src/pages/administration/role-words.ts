/** Who may do something, as the generated table of permissions says it. */

/** The columns of the roles stand behind these two. */
const FIRST_ROLE = 2

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The roles that have a permission. */
export function rolesIn(table: string, permission: string): string[] {
  const lines = table.split('\n').filter((line) => line.startsWith('|'))
  const [head = '', ...rows] = lines
  const row = rows.map(cellsOf).find(([name]) => name === `\`${permission}\``) ?? []
  return cellsOf(head)
    .slice(FIRST_ROLE)
    .filter((_role, index) => row[FIRST_ROLE + index] !== '')
}
