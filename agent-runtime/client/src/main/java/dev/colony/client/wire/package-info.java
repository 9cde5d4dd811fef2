/**
 * The forms in which agents, runs and sessions travel over HTTP, both ways: what the API answers
 * and what {@code dev.colony.client.http} sends. JSON alone, so that server and client share one
 * meaning of it; knows no server, no client and no connection.
 *
 * <p>Requests are read strictly, for any client may send them; answers are read leniently, so that
 * a client understands a server that says more than it knows of.
 */
package dev.colony.client.wire;
