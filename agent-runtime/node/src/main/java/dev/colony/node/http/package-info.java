/** Requests of agents to services over HTTP, made by the client of the JDK. */
package dev.colony.node.http;
