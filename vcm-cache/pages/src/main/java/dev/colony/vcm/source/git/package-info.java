/**
 * Git repositories as sources, through JGit: the files of a commit, the history as files, and which
 * files were changed together.
 */
package dev.colony.vcm.source.git;
