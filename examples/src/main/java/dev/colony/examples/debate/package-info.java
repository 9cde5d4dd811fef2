/** A debate of two workers before a judge, on a stage that they share. */
package dev.colony.examples.debate;
