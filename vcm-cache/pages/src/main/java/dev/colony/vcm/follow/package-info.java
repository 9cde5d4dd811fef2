/**
 * Directories that questions are asked about, mapped again as they change. Rests on sources, their
 * grouping and the page store; knows no cluster: its caller sees to it that one process follows.
 */
package dev.colony.vcm.follow;
