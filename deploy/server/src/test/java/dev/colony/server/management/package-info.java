/** Tests of a node's management. */
package dev.colony.server.management;
