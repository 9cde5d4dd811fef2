/**
 * Who may do what over the HTTP API: keys with a tenant and a role, read from a file that may
 * change while the node runs. Knows nothing of HTTP.
 */
package dev.colony.server.access;
