/**
 * Agents over the HTTP API, for programs that reach neither the cluster nor its Redis. The same
 * interfaces with the same behaviour as over the blackboard, on the JDK's own HTTP client; what
 * travels is {@link dev.colony.client.wire}.
 *
 * <p>Every request may be sent twice without harm: a run has its id before it is asked for, and
 * what an agent is told is taken at least once. So a lost connection and a node that leaves are
 * waited out and the request sent again, to whichever node answers.
 */
package dev.colony.client.http;
