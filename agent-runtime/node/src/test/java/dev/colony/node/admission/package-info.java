/** Tests of who may work when, without a node. */
package dev.colony.node.admission;
