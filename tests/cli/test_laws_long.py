#!/usr/bin/env python3
"""Contact laws in beds of 4,000 balls: more than 10,000 contacts, beyond every number from which on work is divided among threads. The same bits for 1, 2 and 4 threads
and after a resume, with every law. Few sweeps: what is compared is the division of work, not the solution."""
from command import CommandTest, main
from test_laws import BLOCK, LAWS

SWEEPS = "solver: {tolerance_residual: 1e-3, iteration_limit: 40, on_nonconverged: continue}"
BED = BLOCK.replace("solver: {tolerance_residual: 1e-4, iteration_limit: 5000}", SWEEPS).replace("{i: 4, j: 4, k: 4}", "{i: 20, j: 20, k: 10}")


class Beds(CommandTest):
    def test_same_bits_with_threads_and_after_resume(self):
        for law in LAWS:
            with self.subTest(law=law):
                with open(self.path("bed.yaml"), "w", encoding="utf-8") as file:
                    file.write(BED % (0.06, law, law))
                hashes = []
                for threads in ("1", "2", "4"):
                    result = self.run_scree("run", "bed.yaml", "--threads", threads, "--duration", "0.01", "--json")
                    self.assertEqual(result.code, 0, result.err)
                    self.assertGreater(self.lines(result)[-1]["contacts"], 10000)
                    hashes.append(self.lines(result)[-1]["state_hash"])
                result = self.run_scree("run", "bed.yaml", "--duration", "0.006", "--out", "part.h5", "--force", "--json")
                self.assertEqual(result.code, 0, result.err)
                result = self.run_scree("resume", "part.h5", "--duration", "0.01", "--json")
                self.assertEqual(result.code, 0, result.err)
                hashes.append(self.lines(result)[-1]["state_hash"])
                self.assertEqual(len(set(hashes)), 1, hashes)


if __name__ == "__main__":
    main()
