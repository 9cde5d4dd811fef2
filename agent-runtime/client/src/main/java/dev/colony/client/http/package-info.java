/**
 * Agents over the HTTP API, for programs that reach neither the cluster nor its Redis. The same
 * interfaces with the same behaviour as over the blackboard, on the JDK's own HTTP client; what
 * travels is JSON ({@link WireJson}), one meaning for server and client: requests are read
 * strictly, answers leniently, so that a client understands a server that says more than it knows
 * of.
 *
 * <p>Every request may be sent twice without harm: a run has its id before it is asked for, and
 * what an agent is told is taken at least once. So a lost connection and a node that leaves are
 * waited out and the request sent again, to whichever node answers.
 */
package dev.colony.client.http;
