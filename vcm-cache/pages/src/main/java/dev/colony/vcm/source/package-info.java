/**
 * Where the text of pages comes from: the {@link dev.colony.vcm.source.ContextPageSource} port and
 * its sources, which tell texts from the rest. Depends on the settings and on JGit's ignore rules.
 */
package dev.colony.vcm.source;
