/**
 * For tests of agents: an agent without a node ({@link dev.colony.testkit.TestAgent}), a node
 * within the test's JVM ({@link dev.colony.testkit.TestColony}), a model server that answers as a
 * test says ({@link dev.colony.testkit.FakeModel}), virtual time, points at which a process dies,
 * assertions on steps, an explorer of states. Depends on no test framework.
 */
package dev.colony.testkit;
