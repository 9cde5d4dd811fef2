/**
 * Actions by which an agent thinks about what it has: each is one model call over named inputs,
 * whose reply satisfies a schema and names only what it was given.
 */
package dev.colony.library.reasoning;
