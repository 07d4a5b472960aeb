import { FAULTS } from '../../simulator/faults/faults';
import { SHAPE_GROUPS } from '../../simulator/shapes/shapes';

interface Described {
  readonly name: string;
  readonly description: string;
}

interface FaultsAndShapes {
  readonly faults: readonly Described[];
  /** Groups of shapes. One shape per group is active; the first is the default. */
  readonly shapes: ReadonlyArray<readonly Described[]>;
}

/** Returns the faults that the simulator can produce, and the forms that its answers can have. */
export function faultsAndShapes(): FaultsAndShapes {
  const described = ({ name, description }: Described): Described => ({ name, description });
  return {
    faults: [...FAULTS.values()].map(described),
    shapes: SHAPE_GROUPS.map((group) => group.map(described)),
  };
}

export function faultsAndShapesText({ faults, shapes }: FaultsAndShapes): string {
  const width = Math.max(...[...faults, ...shapes.flat()].map(({ name }) => name.length)) + 2;
  const row = ({ name, description }: Described): string => `  ${name.padEnd(width)}${description}`;
  return [
    'Faults (as put-503:3, hold:part=2,bytes=1048576; :always for every time):',
    ...faults.map(row),
    '',
    'Shapes, in groups. One shape of each group is used; the first is the default:',
    ...shapes.map((group) => `${group.map(row).join('\n')}\n`),
  ].join('\n');
}
