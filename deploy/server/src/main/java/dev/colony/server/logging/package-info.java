/**
 * What keeps the logs of Colony's processes bounded. Stands on Logback, and nothing depends on it.
 */
package dev.colony.server.logging;
