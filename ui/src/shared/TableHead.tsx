/** The titles of a table's columns. */

/** A column by its title, or with more to say of it. */
export type Column = string | { title: string; as: "numbers" | "unseen" };

/** A column whose cells stand at the end of the line. */
export const numbers = (title: string): Column => ({ title, as: "numbers" });

/** A column whose title is said, but not shown. */
export const unseen = (title: string): Column => ({ title, as: "unseen" });

/** The head of a table. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { title, as } = typeof column === "string" ? { title: column, as: null } : column;
          return (
            <th key={title} scope="col" className={as === "numbers" ? "cell-end" : undefined}>
              {as === "unseen" ? <span className="visually-hidden">{title}</span> : title}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
