/** The HTTP API as its clients see it. */
package dev.colony.server.http;
