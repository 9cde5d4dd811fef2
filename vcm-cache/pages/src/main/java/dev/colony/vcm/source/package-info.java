/**
 * Where the text of pages comes from: the {@link dev.colony.vcm.source.ContextPageSource} port and
 * the file-tree source. Depends on the settings and on JGit's ignore rules.
 */
package dev.colony.vcm.source;
