/**
 * What a person or a cluster starts: the command line, the node and what it is made of.
 *
 * <p>It may use every module; no module uses it.
 */
package dev.colony.deploy;
