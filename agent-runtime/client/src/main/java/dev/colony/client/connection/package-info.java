/** Colonies by their URLs, whatever these speak. It may depend on all of this module. */
package dev.colony.client.connection;
