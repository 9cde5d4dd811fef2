dependencies {
    api(project(":blackboard"))
    api(project(":vcm-cache:schedule"))
    api(libs.jtokkit)
    api(libs.lucene.core)
    api(libs.lucene.analysis.common)
    api(libs.re2j)
    api(libs.jgit)
    testImplementation(project(":agent-runtime:testkit-board"))
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(libs.logback.classic)
}
