/** The names of entries: what a valid key is, how keys are ordered and matched. Pure. */
package dev.colony.blackboard.key;
