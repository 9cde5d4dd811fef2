/** Tests of the parts of the blackboard's benchmark. */
package dev.colony.bench.board;
