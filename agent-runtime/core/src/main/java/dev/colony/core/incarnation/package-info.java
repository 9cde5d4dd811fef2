/**
 * The life of one agent's actor on one node as a pure state machine: it reads the journal, claims
 * the agent, works for it, and leaves. {@link dev.colony.core.incarnation.EntityMachine} says what
 * becomes of a message in a state; {@code entity} does it. The rule that two incarnations of an
 * agent never both go on is Kleppmann's fencing token: the number of the claim, journaled with it.
 */
package dev.colony.core.incarnation;
